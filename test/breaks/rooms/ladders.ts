import type { RoomBreak } from '../room-break.ts';

const SERVICE = 'src/ladders/ladders.service.ts';

export const LADDERS: readonly RoomBreak[] = [
  {
    name: 'ladders are not bounded',
    promise: 'an account stores a bounded number of ladders',
    file: SERVICE,
    piece: "if (book.own.length >= MOST_LADDERS) throw new AppError('too_many_ladders');",
    replacement: '',
    by: ['contract/ladders'],
  },
  {
    name: 'labels with a ladder are not bounded',
    promise: 'an account stores a bounded number of labels with a ladder',
    file: SERVICE,
    piece: 'if (choice && others.length >= MOST_LABELS)',
    replacement: 'if (choice && others.length < 0)',
    by: ['contract/ladders'],
  },
  {
    name: 'a ladder for must-not-miss tasks becomes the default',
    promise: 'waits that are too short are for must-not-miss tasks alone',
    file: SERVICE,
    piece: '      if (choice) requireFit(choice, book, false);\n      return { book: { ...book, default: choice }',
    replacement: '      if (choice) requireFit(choice, book, true);\n      return { book: { ...book, default: choice }',
    by: ['contract/ladders'],
  },
  {
    name: 'a ladder that is chosen for all gets waits that are too short',
    promise: 'waits that are too short are for must-not-miss tasks alone',
    file: SERVICE,
    piece: '...requireLadder(ladder, !isChosen(book, id))',
    replacement: '...requireLadder(ladder, true || isChosen(book, id))',
    by: ['contract/ladders'],
  },
  {
    name: 'a deleted ladder stays the choice of its labels',
    promise: 'what had a deleted ladder gets the next one that is chosen',
    file: SERVICE,
    piece: 'labels: book.labels.filter(({ ladder }) => !isLadder(ladder, id)),',
    replacement: 'labels: book.labels,',
    by: ['contract/ladders'],
  },
  {
    name: 'a deleted ladder stays the default',
    promise: 'what had a deleted ladder gets the next one that is chosen',
    file: SERVICE,
    piece: 'default: isLadder(book.default, id) ? null : book.default,',
    replacement: 'default: book.default,',
    by: ['contract/ladders'],
  },
  {
    name: 'a label is chosen twice',
    promise: 'a label has one ladder',
    file: SERVICE,
    piece: 'const others = book.labels.filter((one) => one.label !== label);',
    replacement: 'const others = book.labels;',
    by: ['contract/ladders'],
  },
];
