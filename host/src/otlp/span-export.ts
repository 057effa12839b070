import { SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { SampleSpan } from '../core/ports/telemetry.ts';
import { GatheredExport } from './gathered-export.ts';
import { timeOf } from './metric-data.ts';
import type { Rejected, SignalQueueOptions } from './signal-queue.ts';

/** What all spans of a gateway have in common. */
export interface SpanOrigin {
  readonly resource: Resource;
  readonly scope: { readonly name: string; readonly version: string };
}

/** Characters that a span takes of the memory, more or less. */
const spanSize = 500;

/** Those that wait for another machine. */
const kinds: Readonly<Partial<Record<SampleSpan['name'], SpanKind>>> = {
  read: SpanKind.CLIENT,
  publish: SpanKind.PRODUCER,
  acknowledge: SpanKind.CLIENT,
};

/** Sends the steps of followed readings. */
export class SpanExport {
  readonly #origin: SpanOrigin;
  readonly #gathered: GatheredExport<ReadableSpan>;

  constructor(sending: Omit<SignalQueueOptions, 'rejectedIn'>, origin: SpanOrigin) {
    this.#origin = origin;
    this.#gathered = new GatheredExport({
      ...sending,
      encode: (spans) => ProtobufTraceSerializer.serializeRequest(spans) ?? new Uint8Array(),
      sizeOf: () => spanSize,
      rejectedIn: rejectedSpans,
    });
  }

  /** Never throws. */
  readonly take = (span: SampleSpan): void => this.#gathered.take(() => readableOf(span, this.#origin));

  close(milliseconds: number): Promise<void> {
    return this.#gathered.close(milliseconds);
  }
}

function rejectedSpans(answer: Uint8Array): Rejected {
  const { partialSuccess } = ProtobufTraceSerializer.deserializeResponse(answer);
  return { items: partialSuccess?.rejectedSpans ?? 0, reason: partialSuccess?.errorMessage ?? '' };
}

function readableOf(span: SampleSpan, { resource, scope }: SpanOrigin): ReadableSpan {
  const { traceId, spanId, parentId, name, start, end, attributes, failure } = span;
  const context = (id: string) => ({ traceId, spanId: id, traceFlags: TraceFlags.SAMPLED });
  const own = context(spanId);
  return {
    name,
    kind: kinds[name] ?? SpanKind.INTERNAL,
    spanContext: () => own,
    ...(parentId !== undefined && { parentSpanContext: context(parentId) }),
    startTime: timeOf(start),
    endTime: timeOf(end),
    duration: timeOf(end - start),
    status:
      failure === undefined
        ? { code: SpanStatusCode.UNSET }
        : { code: SpanStatusCode.ERROR, message: failure },
    attributes,
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}
