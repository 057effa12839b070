import type { CertificatePlace, ConnectedClient, NodeCertificate } from '@tagway/sdk';
import { deadlines } from '@tagway/sdk/internal';
import type { Node } from '../../core/model.ts';
import type { RunningPeers } from '../../core/ports/ports.ts';
import type { Supervisor } from './supervisor.ts';

/** Milliseconds. The runner ends the call before. */
const deadline = deadlines.peers + deadlines.abort;

/** Asks a running node about those at the other end of its connections. */
export class PeerCalls implements RunningPeers {
  readonly #runner: Supervisor;
  readonly #node: number;

  constructor(runner: Supervisor, { id }: Node) {
    this.#runner = runner;
    this.#node = id;
  }

  clients(): Promise<readonly ConnectedClient[]> {
    return this.#runner.ask<'clients'>({ op: 'clients', node: this.#node }, deadline);
  }

  certificates(): Promise<readonly NodeCertificate[]> {
    return this.#runner.ask<'certificates'>({ op: 'certificates', node: this.#node }, deadline);
  }

  async moveCertificate(id: string, to: CertificatePlace): Promise<void> {
    await this.#runner.ask<'moveCertificate'>({ op: 'moveCertificate', node: this.#node, id, to }, deadline);
  }
}
