/** The fields that a kind of channel asks for, drawn from its description. */
import { useState } from 'react';
import type { ChannelKind } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { screenStrings } from '../screen-strings.ts';
import { Field, Switch } from '../ui/field.tsx';
import { Details } from './details.tsx';

const { reach: words } = screenStrings;

type FieldDescription = ChannelKind['fields'][number];
export type FieldValues = Readonly<Record<string, string>>;

interface ChannelFieldsProps {
  readonly fields: readonly FieldDescription[];
  readonly values: FieldValues;
  readonly onChange: (values: FieldValues) => void;
  readonly error: Error | null;
  /** False for an existing channel: an empty field keeps its value. */
  readonly areRequired: boolean;
}

const INPUT_TYPES: Readonly<Record<string, string>> = { url: 'url', email: 'email', phone: 'tel' };
const AUTO_COMPLETE: Readonly<Record<string, string>> = { email: 'email', phone: 'tel' };

export function ChannelFields({ fields, values, onChange, error, areRequired }: ChannelFieldsProps) {
  const [isShown, setShown] = useState(false);
  const problems = fieldProblems(error);
  const draw = ({ name, label, hint, type, required, secret }: FieldDescription) => (
    <Field
      key={name}
      label={label}
      hint={hint}
      type={secret && !isShown ? 'password' : (INPUT_TYPES[type] ?? 'text')}
      inputMode={type === 'url' ? 'url' : undefined}
      autoComplete={(!secret && AUTO_COMPLETE[type]) || 'off'}
      autoCapitalize="none"
      spellCheck={false}
      maxLength={2_048}
      required={required && areRequired}
      value={values[name] ?? ''}
      problem={problems[name]}
      onChange={(event) => onChange({ ...values, [name]: event.target.value })}
    />
  );
  const optional = areRequired ? fields.filter(({ required }) => !required) : [];
  const hasHiddenProblem = optional.some(({ name }) => problems[name] !== undefined);
  const show = fields.some(({ secret }) => secret) && (
    <Switch label={words.showTyped} checked={isShown} onChange={setShown} />
  );
  const isOptionalAlone = fields.every((field) => !field.secret || optional.includes(field));
  return (
    <>
      {fields.filter((field) => !optional.includes(field)).map(draw)}
      {optional.length > 0 && (
        <Details summary={words.optional} isOpen={hasHiddenProblem}>
          {optional.map(draw)}
          {isOptionalAlone && show}
        </Details>
      )}
      {!isOptionalAlone && show}
    </>
  );
}

/** The typed values; empty fields are left out. */
export const filledIn = (values: FieldValues): Record<string, string> =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value.trim() ? [[name, value.trim()]] : [])));

/** The service's message about each field, completed to a sentence. */
function fieldProblems(error: Error | null): Record<string, string> {
  if (!(error instanceof Problem)) return {};
  return Object.fromEntries(
    Object.entries(error.fields).map(([name, text]) => [name, text.replace(/^Input should (.*?)\.?$/s, toSentence)]),
  );
}

const toSentence = (_all: string, should: string) => words.fieldProblem(should);

/** Whether a field of the form shows the error, so that it is not shown twice. */
export const isShownAtField = (error: Error | null, fields: readonly FieldDescription[]): boolean =>
  error instanceof Problem && fields.some(({ name }) => error.fields[name] !== undefined);
