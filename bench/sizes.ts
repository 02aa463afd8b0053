/** `npm run bench -- --quick` measures less and less often: enough to see that everything runs, not to compare. */
export const IS_QUICK = process.argv.includes('--quick');

export const sized = (quick: number, full: number): number => (IS_QUICK ? quick : full);
