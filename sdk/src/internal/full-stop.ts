/** A text of a plugin as a sentence that another one may follow: with a full stop, unless it ends like a sentence already. */
export function withFullStop(text: string): string {
  return /[.!?…。！？]["”)\]]?$/.test(text) ? text : `${text}.`;
}
