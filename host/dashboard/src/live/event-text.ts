/** One event of a `text/event-stream`. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** Events out of the pieces of a stream, however it is cut. Comments and fields that are not used are passed over. */
export class EventText {
  #rest = '';

  add(piece: string): StreamEvent[] {
    const blocks = (this.#rest + piece).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const lines = block.split('\n');
      const valueOf = (field: string): string[] =>
        lines.filter((line) => line.startsWith(`${field}: `)).map((line) => line.slice(field.length + 2));
      const data = valueOf('data');
      return data.length === 0 ? [] : [{ event: valueOf('event')[0] ?? 'message', data: data.join('\n') }];
    });
  }
}
