/** One event of a `text/event-stream`. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** Events out of the pieces of a stream, however it is cut. Comments and fields that are not used are passed over. */
export class EventText {
  /** Pieces of an event that has not ended yet: of ten thousand tags it comes in many. */
  #pieces: string[] = [];

  add(piece: string): StreamEvent[] {
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
