import { SeverityNumber, type Attributes } from '@opentelemetry/api';
import { ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { LogLevel } from '@tagway/schemas';
import type { LogEntry } from '../core/ports/telemetry.ts';
import { timeOf } from './metric-data.ts';
import type { Rejected } from './signal-queue.ts';

/** UTF-16 units of a message and of an attribute, and attributes of an entry, that are sent: what is longer is cut. */
const messageMost = 8192;
const attributeMost = 2048;
const attributesMost = 64;

export const severities: Readonly<Record<LogLevel, SeverityNumber>> = {
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  notice: SeverityNumber.INFO2,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
  fatal: SeverityNumber.FATAL,
};

/** What all records of a gateway have in common. */
export interface LogOrigin {
  readonly resource: Resource;
  readonly scope: { readonly name: string; readonly version: string };
  /** Name of the plugin of a node; undefined when there is no such node. */
  readonly pluginOf: (node: string) => string | undefined;
}

/** An entry of the log as OpenTelemetry has it. */
export function recordOf(entry: LogEntry, { resource, scope, pluginOf }: LogOrigin): ReadableLogRecord {
  const time = timeOf(entry.time);
  return {
    hrTime: time,
    hrTimeObserved: time,
    severityNumber: severities[entry.level],
    severityText: entry.level.toUpperCase(),
    body: cut(entry.message, messageMost),
    attributes: attributesOf(entry, pluginOf),
    droppedAttributesCount: Math.max(0, Object.keys(entry.fields ?? {}).length - attributesMost),
    resource,
    instrumentationScope: scope,
  };
}

/** Characters of a record, for the memory that it takes. */
export function sizeOf({ body, attributes }: ReadableLogRecord): number {
  return Object.entries(attributes).reduce(
    (sum, [name, value]) => sum + name.length + String(value).length,
    String(body).length,
  );
}

export function encodeLogs(records: ReadableLogRecord[]): Uint8Array {
  return ProtobufLogsSerializer.serializeRequest(records) ?? new Uint8Array();
}

export function rejectedRecords(answer: Uint8Array): Rejected {
  const { partialSuccess } = ProtobufLogsSerializer.deserializeResponse(answer);
  return { items: partialSuccess?.rejectedLogRecords ?? 0, reason: partialSuccess?.errorMessage ?? '' };
}

/** Names that the gateway's own log has in the place of a node's. */
const ownName = 'gateway';

function attributesOf({ name, fields = {} }: LogEntry, pluginOf: LogOrigin['pluginOf']): Attributes {
  const attributes: Attributes = {};
  for (const [key, value] of Object.entries(fields).slice(0, attributesMost))
    attributes[key] = attributeOf(value);
  const plugin = pluginOf(name);
  // A node may be called as the log of the gateway is.
  if (name !== ownName || plugin !== undefined) attributes['tagway.node.name'] = name;
  if (plugin !== undefined) attributes['tagway.plugin.name'] = plugin;
  return attributes;
}

function attributeOf(value: unknown): string | number | boolean {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return cut(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), attributeMost);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
