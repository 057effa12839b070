import type { Layout, Sample } from '@tagway/sdk';
import { BodyTemplate, type BoundBody } from '@tagway/store/template';
import type { Settings } from './settings.ts';
import { topicsOf } from './topics.ts';

/** What is prepared for the samples of one layout. */
interface Prepared {
  readonly body: BoundBody;
  /** By column. */
  readonly topics: readonly string[];
}

/** The messages that a template makes of the samples of one subscription. */
export class TemplateMessages {
  readonly #node: string;
  readonly #body: BodyTemplate;
  /** The topic, or undefined where every tag has its own. */
  readonly #topic: string | undefined;
  readonly #pattern: string;
  readonly #prepared = new WeakMap<Layout, Prepared>();

  /** `topic`: of the group. `pattern`: what it was made from, if every tag has a topic of its own. */
  constructor(node: string, { template = '' }: Pick<Settings, 'template'>, topic: string, pattern?: string) {
    this.#node = node;
    this.#body = BodyTemplate.of(template);
    this.#pattern = pattern ?? '';
    this.#topic = pattern === undefined || !this.#body.isPerTag ? topic : undefined;
  }

  /** Calls back with each message of a sample, in order. */
  each(sample: Sample, publish: (topic: string, payload: Buffer) => void): void {
    const { layout } = sample;
    let prepared = this.#prepared.get(layout);
    if (prepared === undefined) {
      const topics = this.#topic === undefined ? topicsOf(this.#pattern, this.#node, layout) : [];
      prepared = { body: this.#body.bind(this.#node, layout), topics };
      this.#prepared.set(layout, prepared);
    }
    const { body, topics } = prepared;
    body.each(sample, (payload, column) => publish(this.#topic ?? topics[column]!, payload));
  }
}
