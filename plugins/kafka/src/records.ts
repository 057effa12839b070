import type { Layout, PreviewMessage, PreviewOf, Sample } from '@tagway/sdk';
import { writerOf } from '@tagway/sdk/json';
import { BodyTemplate, type BoundBody, PlaceTemplate } from '@tagway/store/template';
import { decodeOutgoing, encodeOutgoing, topicWithKey } from './record.ts';
import { Format, type Settings } from './settings.ts';

/** Longest name of a topic, and what it may consist of. */
const longestTopic = 249;

/** A name as a part of a topic. */
function inTopic(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/g, '_');
}

/** What is prepared once for a layout. */
interface Plan {
  readonly topics: readonly string[];
  readonly keys: readonly string[];
  readonly body: BoundBody | undefined;
}

/** Makes the records of samples. */
export class Records {
  readonly #app: string;
  readonly #settings: Settings;
  readonly #topic: PlaceTemplate;
  readonly #key: PlaceTemplate;
  readonly #template: BodyTemplate | undefined;
  readonly #plans = new WeakMap<Layout, Plan>();

  constructor(app: string, settings: Settings) {
    this.#app = app;
    this.#settings = settings;
    this.#topic = PlaceTemplate.of(settings.topic);
    this.#key = PlaceTemplate.of(settings.message_key);
    if (settings.format === Format.TEMPLATE) this.#template = BodyTemplate.of(settings.template ?? '');
  }

  /** The records of a sample, in order; none when nothing is due. */
  of(sample: Sample): readonly Buffer[] {
    const { layout, timestamp: time } = sample;
    const { format, upload_err: errors, upload_meta: meta } = this.#settings;
    let plan = this.#plans.get(layout);
    if (plan === undefined) this.#plans.set(layout, (plan = this.#planOf(layout)));
    const { topics, keys, body } = plan;
    if (body === undefined) {
      const writer = writerOf(layout);
      const values =
        format === Format.TAGS
          ? writer.tags(sample, { errors, meta })
          : writer.values(sample, { errors, meta });
      return values.map((value) => encodeOutgoing({ topic: topics[0]!, key: keys[0]!, time }, value));
    }
    const records: Buffer[] = [];
    body.each(sample, (value, column) => {
      const at = Math.max(column, 0);
      records.push(encodeOutgoing({ topic: topics[at]!, key: keys[at]!, time }, value));
    });
    return records;
  }

  #planOf(layout: Layout): Plan {
    return {
      topics: this.#topic.texts(this.#app, layout, inTopic).map((topic) => topic.slice(0, longestTopic)),
      keys: this.#key.texts(this.#app, layout),
      body: this.#template?.bind(this.#app, layout),
    };
  }
}

/** The records that would be sent for a sample. */
export function preview({
  node,
  settings,
  sample,
}: PreviewOf<Settings, Record<string, unknown>>): PreviewMessage[] {
  return new Records(node, settings).of(sample).map((data) => {
    const outgoing = decodeOutgoing(data)!;
    return { topic: topicWithKey(outgoing), payload: outgoing.value.toString() };
  });
}
