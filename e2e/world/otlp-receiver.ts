import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';

const definitions = join(dirname(dirname(fileURLToPath(import.meta.url))), 'peers', 'otlp');

/** The definitions that the OpenTelemetry project publishes. */
const root = new protobuf.Root();
root.resolvePath = (_origin, target) => (target.startsWith('/') ? target : join(definitions, target));
root.loadSync(
  ['metrics', 'logs', 'trace'].map((signal) =>
    join(definitions, `opentelemetry/proto/collector/${signal}/v1/${signal}_service.proto`),
  ),
);

/** What a collector says of a request that it took in part, in the words of the specification. */
const { root: answers } = protobuf.parse(`
  syntax = "proto3";
  message PartialSuccess { int64 rejected = 1; string error_message = 2; }
  message Response { PartialSuccess partial_success = 1; }
`);

/** The answer of a collector that took all but some. */
export function partialAnswer(rejected: number, errorMessage: string): Uint8Array {
  return answers.lookupType('Response').encode({ partialSuccess: { rejected, errorMessage } }).finish();
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export interface Point {
  readonly attributes?: readonly Attribute[];
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
  readonly asDouble?: number;
  readonly asInt?: string;
}

export interface Metric {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly gauge?: { readonly dataPoints?: readonly Point[] };
  readonly sum?: {
    readonly dataPoints?: readonly Point[];
    readonly isMonotonic?: boolean;
    readonly aggregationTemporality: string;
  };
}

interface Resource {
  readonly attributes: readonly Attribute[];
}

export interface LogRecord {
  readonly timeUnixNano: string;
  readonly severityNumber: string;
  readonly severityText: string;
  readonly body: { readonly stringValue?: string };
  readonly attributes?: readonly Attribute[];
}

export interface Span {
  /** In hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly Attribute[];
  readonly status?: { readonly code?: string; readonly message?: string };
}

interface Decoded {
  readonly resourceMetrics?: readonly {
    readonly resource: Resource;
    readonly scopeMetrics: readonly { readonly metrics: readonly Metric[] }[];
  }[];
  readonly resourceSpans?: readonly {
    readonly resource: Resource;
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<Span, 'traceId' | 'spanId' | 'parentSpanId'> &
        Readonly<Record<'traceId' | 'spanId' | 'parentSpanId', Buffer>>)[];
    }[];
  }[];
  readonly resourceLogs?: readonly {
    readonly resource: Resource;
    readonly scopeLogs: readonly { readonly logRecords: readonly LogRecord[] }[];
  }[];
}

/** A request that the receiver took. */
export interface Exported extends Decoded {
  readonly signal: 'metrics' | 'logs' | 'traces';
  readonly headers: IncomingHttpHeaders;
  /** Bytes on the wire. */
  readonly size: number;
  /** By the certificate of the client; empty without one. */
  readonly client: string;
}

const requestTypes = {
  metrics: root.lookupType('opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest'),
  logs: root.lookupType('opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest'),
  traces: root.lookupType('opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest'),
};

/** Answers a request; what is sent is up to it. */
export type Respond = (response: ServerResponse, request: Exported) => void;

export const takes: Respond = (response) => {
  response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
};

/** A collector of OpenTelemetry for tests: takes OTLP over HTTP and reads it with the published definitions. */
export class OtlpReceiver {
  readonly port: number;
  /** What was taken: requests that were answered with a good status. */
  readonly taken: Exported[] = [];
  /** All requests, with those that were refused. */
  requests = 0;
  respond: Respond = takes;
  readonly #close: () => Promise<void>;

  private constructor(port: number, close: () => Promise<void>) {
    this.port = port;
    this.#close = close;
  }

  static async start({ port = 0, tls }: { port?: number; tls?: ServerOptions } = {}): Promise<OtlpReceiver> {
    const server = tls ? createSecureServer(tls) : createServer();
    server.on('request', (request, response: ServerResponse) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        receiver.requests++;
        const { url = '', headers, socket } = request;
        const signal = url.replace(/^.*\/v1\//, '') as Exported['signal'];
        const type = requestTypes[signal];
        const body = Buffer.concat(chunks);
        const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
        const decoded = type.toObject(type.decode(plain), { longs: String, enums: String }) as Decoded;
        const peer = 'getPeerCertificate' in socket ? (socket as TlsPeer).getPeerCertificate() : undefined;
        const exported = { ...decoded, signal, headers, size: body.length, client: peer?.subject?.CN ?? '' };
        receiver.respond(response, exported);
        if (response.statusCode === 200) receiver.taken.push(exported);
      });
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new OtlpReceiver((server.address() as AddressInfo).port, async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    });
    return receiver;
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** The metrics of the last request that had this one. */
  metric(name: string): Metric | undefined {
    for (const request of this.taken.toReversed()) {
      const found = metricsOf(request).find((metric) => metric.name === name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The present value of a metric, of the point with these attributes. */
  value(name: string, attributes: Readonly<Record<string, string>> = {}): number | undefined {
    const point = pointOf(this.metric(name), attributes);
    return point && Number(point.asInt ?? point.asDouble);
  }

  /** Of the last request. */
  resource(): Record<string, unknown> {
    const { resourceMetrics, resourceLogs, resourceSpans } = this.taken.at(-1) ?? {};
    return attributesOf((resourceMetrics ?? resourceLogs ?? resourceSpans)?.[0]?.resource.attributes);
  }

  /** All spans, in the order in which they came. */
  spans(): Span[] {
    return this.taken.flatMap(({ resourceSpans = [] }) =>
      resourceSpans.flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) =>
          spans.map((span) => ({
            ...span,
            traceId: digits(span.traceId),
            spanId: digits(span.spanId),
            parentSpanId: digits(span.parentSpanId),
          })),
        ),
      ),
    );
  }

  /** All entries of logs, in the order in which they came. */
  records(): LogRecord[] {
    return this.taken.flatMap(({ resourceLogs = [] }) =>
      resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords)),
    );
  }
}

function digits(id: Buffer | undefined): string {
  return Buffer.from(id ?? []).toString('hex');
}

interface TlsPeer {
  getPeerCertificate(): { readonly subject?: { readonly CN?: string } };
}

export function metricsOf({ resourceMetrics = [] }: Decoded): Metric[] {
  return resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
}

export function pointOf(
  metric: Metric | undefined,
  attributes: Readonly<Record<string, string>>,
): Point | undefined {
  return (metric?.sum ?? metric?.gauge)?.dataPoints?.find((point) => {
    const own = attributesOf(point.attributes);
    return Object.entries(attributes).every(([key, value]) => own[key] === value);
  });
}

/** Attributes as an object; values without their types. */
export function attributesOf(attributes: readonly Attribute[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
