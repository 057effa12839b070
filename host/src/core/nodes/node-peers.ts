import { ErrorCode, RunningState } from '@tagway/schemas';
import type { CertificatePlace, ConnectedClient, NodeCertificate } from '@tagway/sdk';
import type { Node } from '../model.ts';
import { checkLengths } from '../names.ts';
import { listenersOf, type NodeListener } from './listeners.ts';
import type { State } from '../records/state.ts';
import { Refusal, sentence, type Sentence } from '../system/sentence.ts';

/** Shows who is connected to a node that serves, and the certificates of a node, for people to decide about. */
export class NodePeers {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  /** Where the nodes take connections now. */
  listeners(): readonly NodeListener[] {
    return listenersOf(this.#state);
  }

  /** Rejects with NODE_NOT_FOUND, PLUGIN_TYPE_UNSUPPORTED, NODE_NOT_RUNNING or a fault of the plugin. */
  async clients(name: string): Promise<readonly ConnectedClient[]> {
    const node = this.#node(name);
    if (node.plugin.listsClients !== true)
      throw unsupported(node, sentence`serves no clients that it could list`);
    return await this.#state.ports.runtime.peers(running(node)).clients();
  }

  /** Rejects as `clients` does. */
  async certificates(name: string): Promise<readonly NodeCertificate[]> {
    return await this.#state.ports.runtime.peers(running(this.#withCertificates(name))).certificates();
  }

  /** Rejects as `clients` does, and with CERTIFICATE_NOT_FOUND. */
  async moveCertificate(name: string, id: string, to: CertificatePlace): Promise<void> {
    await this.#state.ports.runtime.peers(running(this.#withCertificates(name))).moveCertificate(id, to);
  }

  #withCertificates(name: string): Node {
    const node = this.#node(name);
    if (node.plugin.keepsCertificates !== true) throw unsupported(node, sentence`keeps no certificates`);
    return node;
  }

  #node(name: string): Node {
    checkLengths(name);
    return this.#state.node(name);
  }
}

function running(node: Node): Node {
  if (node.running === RunningState.RUNNING) return node;
  throw new Refusal(
    ErrorCode.NODE_NOT_RUNNING,
    sentence`The node "${node.name}" is not running, and only a running node can be asked. Start it first.`,
  );
}

function unsupported({ name, plugin }: Node, why: Sentence): Refusal {
  return new Refusal(
    ErrorCode.PLUGIN_TYPE_UNSUPPORTED,
    sentence`The plugin "${plugin.name}" of the node "${name}" ${why}.`,
  );
}
