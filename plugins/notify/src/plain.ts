/** Characters that end lines, move the cursor, or have no place in a line of text. */
const controls = /[\p{Cc}\u2028\u2029\ufeff\ufffe\uffff]+/gu;
/** Marks that change the direction of what stands around them, also beyond their own text. */
const overrides = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** Scripts that are written from right to left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * A name or text of the plant as one line of a message: without control characters and direction marks, a bounded number of characters, and
 * isolated where it is written from right to left, so that what stands around it keeps its order.
 */
export function plain(text: string, most = 300): string {
  const clean = text.toWellFormed().replace(controls, ' ').replace(overrides, '').trim();
  const [begin = ''] = new RegExp(`^.{0,${most - 1}}(?=..)`, 'su').exec(clean) ?? [];
  const cut = begin !== '' && clean.length > most ? `${begin}…` : clean;
  return rightToLeft.test(cut) ? `\u2068${cut}\u2069` : cut;
}
