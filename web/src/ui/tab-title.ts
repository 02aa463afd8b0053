/** The title of the tab: the name of the screen, after the number of nudges that wait for an answer. */
let screen = document.title;
let nudges = 0;

export function setScreenTitle(title: string): void {
  screen = title;
  show();
}

export function countInTitle(count: number): void {
  nudges = count;
  show();
}

function show(): void {
  document.title = nudges > 0 ? `(${nudges}) ${screen}` : screen;
}
