/**
 * Preloaded into a process under test (`--import`): the clock of its machine is wrong by CLOCK_SHIFT_MS. With CLOCK_RATE it
 * also runs at another speed, and was wrong by nothing more at CLOCK_RIGHT_AT. Timers keep the right speed.
 */
const { CLOCK_SHIFT_MS, CLOCK_RATE = '1', CLOCK_RIGHT_AT = '0' } = process.env;
const shiftMs = Number(CLOCK_SHIFT_MS);
const gain = Number(CLOCK_RATE) - 1;
const rightAt = Number(CLOCK_RIGHT_AT);
const readClock = Date.now;
/** Whole milliseconds, as every clock of JavaScript. */
const shiftedNow = () => {
  const now = readClock();
  return Math.round(now + shiftMs + (now - rightAt) * gain);
};

Date.now = shiftedNow;
globalThis.Date = new Proxy(Date, {
  construct: (target, values, newTarget) =>
    Reflect.construct(target, values.length === 0 ? [shiftedNow()] : values, newTarget),
});
