/** One event of a `text/event-stream`: its name and its data as text. */
export interface ParsedEvent {
  readonly event: string;
  readonly data: string;
}

/** Parses the events of a stream that arrives in pieces of any size. Comments and unused fields are skipped. */
export class EventParser {
  /** Pieces of an event that is not complete; an event of ten thousand tags arrives in many pieces. */
  #pieces: string[] = [];

  add(piece: string): ParsedEvent[] {
    const isSplitEnd = piece.startsWith('\n') && this.#pieces.at(-1)?.endsWith('\n') === true;
    this.#pieces.push(piece);
    if (!isSplitEnd && !piece.includes('\n\n')) return [];
    const blocks = this.#pieces.join('').split('\n\n');
    this.#pieces = [blocks.pop() ?? ''];
    return blocks.flatMap((block) => {
      const lines = block.split('\n');
      const valueOf = (field: string): string[] =>
        lines.filter((line) => line.startsWith(`${field}: `)).map((line) => line.slice(field.length + 2));
      const data = valueOf('data');
      return data.length === 0 ? [] : [{ event: valueOf('event')[0] ?? 'message', data: data.join('\n') }];
    });
  }
}
