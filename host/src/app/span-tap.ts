import type { Following, SampleSpan } from '../core/ports/telemetry.ts';

/** Hands the steps of followed readings on, once there is somebody who takes them. */
export class SpanTap implements Following {
  readonly oneIn: number;
  #take: ((span: SampleSpan) => void) | undefined;

  constructor(oneIn: number) {
    this.oneIn = oneIn;
  }

  readonly take = (span: SampleSpan): void => this.#take?.(span);

  begin(take: (span: SampleSpan) => void): void {
    this.#take = take;
  }
}
