/** First part of all topics of Sparkplug B. */
const namespace = 'spBv1.0';

/** Why a text cannot be the id of a group, a node, a device or a host; it completes `The name "…" `. */
export function idProblem(id: string): string | undefined {
  if (id === '') return 'is empty.';
  // eslint-disable-next-line no-control-regex -- U+0000 is what MQTT forbids.
  if (/[+/#\u0000]/.test(id)) return 'holds "+", "/", "#" or NUL, which Sparkplug does not allow.';
  // A lone surrogate has no UTF-8.
  return id.isWellFormed() ? undefined : 'is not valid Unicode.';
}

/** The topics of one edge node. */
export class Topics {
  readonly #group: string;
  readonly #node: string;

  constructor(group: string, node: string) {
    this.#group = group;
    this.#node = node;
  }

  node(type: 'NBIRTH' | 'NDEATH' | 'NCMD'): string {
    return `${namespace}/${this.#group}/${type}/${this.#node}`;
  }

  device(type: 'DBIRTH' | 'DDATA' | 'DDEATH', device: string): string {
    return `${namespace}/${this.#group}/${type}/${this.#node}/${device}`;
  }

  /** The topic filter for commands to all devices. */
  get deviceCommands(): string {
    return `${namespace}/${this.#group}/DCMD/${this.#node}/+`;
  }

  /** The device that a command is for, or undefined when the topic is not a device command. */
  commandedDevice(topic: string): string | undefined {
    const head = this.deviceCommands.slice(0, -1);
    return topic.startsWith(head) ? topic.slice(head.length) : undefined;
  }

  /** The device that a message is of or for, or undefined when it is none of a device. */
  deviceOf(topic: string): string | undefined {
    return topic.split('/')[4];
  }

  static state(host: string): string {
    return `${namespace}/STATE/${host}`;
  }
}

/** The topics of commands, and of the state of the primary host if there is one. */
export function subscribedTopics(settings: {
  readonly 'group-id': string;
  readonly 'node-id': string;
  readonly 'primary-host-id'?: string;
}): string[] {
  const topics = new Topics(settings['group-id'], settings['node-id']);
  const host = settings['primary-host-id'];
  return [topics.node('NCMD'), topics.deviceCommands, ...(host ? [Topics.state(host)] : [])];
}

/**
 * The names of a group's metrics. A name that another group of the device took already gets the group's name before it, as all have
 * with `path`. `onClash` is called for each of them.
 */
export function metricNames(
  group: string,
  tags: readonly { readonly name: string }[],
  path: boolean,
  taken: Set<string>,
  onClash: (name: string) => void,
): string[] {
  return tags.map(({ name }) => {
    let full = path ? `${group}/${name}` : name;
    if (taken.has(full)) onClash(full);
    while (taken.has(full)) full = `${group}/${full}`;
    taken.add(full);
    return full;
  });
}
