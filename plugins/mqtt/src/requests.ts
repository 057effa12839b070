import { LimitedLog } from '@tagway/mqtt-client';
import { ErrorCode, Fault, isFault } from '@tagway/sdk';
import type { AppContext, JsonValue } from '@tagway/sdk';
import { parseJson, writerOf } from '@tagway/sdk/json';
import type { RequestTopic } from './topics.ts';

/** Requests that are carried out at the same time; further ones are answered with BUSY. */
const maxPending = 64;

/** Largest request in bytes, as over HTTP. */
const maxRequest = 1 << 20;

type Fields = Readonly<Record<string, unknown>>;

function isFields(thing: unknown): thing is Fields {
  return typeof thing === 'object' && thing !== null && !Array.isArray(thing);
}

function isJsonValue(thing: unknown): thing is JsonValue {
  if (Array.isArray(thing)) return thing.every((item) => typeof item === 'number');
  return ['number', 'bigint', 'boolean', 'string'].includes(typeof thing);
}

interface TagWrite {
  readonly tag: string;
  readonly value: JsonValue;
}

function isTagWrite(thing: unknown): thing is TagWrite {
  return isFields(thing) && typeof thing['tag'] === 'string' && isJsonValue(thing['value']);
}

/** The writes of a request in its short or its long form, or undefined when it has neither. */
function writesOf(request: Fields): readonly TagWrite[] | undefined {
  const { tags } = request;
  if (tags === undefined)
    return isTagWrite(request) ? [{ tag: request.tag, value: request.value }] : undefined;
  return Array.isArray(tags) && tags.length > 0 && tags.every(isTagWrite) ? tags : undefined;
}

type RequestContext = Pick<AppContext, 'read' | 'write' | 'count' | 'log' | 'clock' | 'node'>;

/** Answers the read and write requests that come in over MQTT. */
export class Requests {
  readonly #context: RequestContext;
  readonly #topics: ReadonlyMap<string, RequestTopic>;
  readonly #reply: (topic: string, payload: Buffer) => void;
  readonly #ignored: LimitedLog;
  #pending = 0;

  constructor(
    context: RequestContext,
    topics: ReadonlyMap<string, RequestTopic>,
    reply: (topic: string, payload: Buffer) => void,
  ) {
    this.#context = context;
    this.#topics = topics;
    this.#reply = reply;
    this.#ignored = new LimitedLog(context.clock);
  }

  /** Takes a message from the broker. */
  take(topic: string, payload: Buffer, retained: boolean): void {
    const target = this.#topics.get(topic);
    if (target === undefined) return;
    this.#context.count('recv_msgs_total', 1);
    if (retained)
      return this.#ignore(topic, 'is retained: it would be carried out again at every connection');
    if (payload.length > maxRequest) return this.#ignore(topic, `is longer than ${maxRequest} bytes`);
    let request: unknown;
    try {
      request = parseJson(payload.toString());
    } catch {
      return this.#ignore(topic, 'is not JSON');
    }
    if (!isFields(request) || typeof request['uuid'] !== 'string')
      return this.#ignore(topic, 'has no "uuid", so that its reply could not be recognised');
    const { uuid } = request;
    if (this.#pending >= maxPending) {
      const text = `The node carries out ${maxPending} requests already. Try again.`;
      return this.#refuse(target, uuid, ErrorCode.BUSY, text);
    }
    this.#pending++;
    void this.#answer(target, uuid, request).finally(() => this.#pending--);
  }

  async #answer(target: RequestTopic, uuid: string, request: Fields): Promise<void> {
    try {
      const { node, group } = request;
      if (typeof node !== 'string' || typeof group !== 'string') {
        const field = typeof node === 'string' ? 'group' : 'node';
        this.#refuse(target, uuid, ErrorCode.BODY_INVALID, `The field ${field} must be a text.`);
      } else if (target.kind === 'read') {
        const sample = await this.#context.read(node, group, { sync: request['sync'] === true });
        const head = Buffer.from(`{"uuid":${JSON.stringify(uuid)},"tags":`);
        this.#reply(
          target.reply,
          Buffer.concat([head, writerOf(sample.layout).records(sample), Buffer.from('}')]),
        );
      } else {
        const tags = writesOf(request);
        const writes = tags?.map(({ tag, value }) => ({ driver: node, group, tag, value }));
        const faults = writes && (await this.#context.write(writes, { request: true }));
        if (tags === undefined || faults === undefined) {
          const text = 'A write has the fields tag and value, or tags: a list of objects with both.';
          return this.#refuse(target, uuid, ErrorCode.BODY_INVALID, text);
        }
        const fault = faults.find((entry) => entry !== undefined);
        if (fault === undefined) this.#reply(target.reply, Buffer.from(JSON.stringify({ uuid, error: 0 })));
        else this.#refuse(target, uuid, fault.code, fault.message);
      }
    } catch (error) {
      const fault = isFault(error) ? error : new Fault(ErrorCode.INTERNAL);
      this.#refuse(target, uuid, fault.code, fault.message);
    }
  }

  /** Replies with a code and a sentence that says why. */
  #refuse(target: RequestTopic, uuid: string, error: number, message: string): void {
    this.#reply(target.reply, Buffer.from(JSON.stringify({ uuid, error, message })));
  }

  #ignore(topic: string, reason: string): void {
    const { log, node } = this.#context;
    this.#ignored.add((others) =>
      log.warn(`The node ${node} ignored a request on the topic ${topic}, which ${reason}.${others}`),
    );
  }
}
