import type { CertificatePlace, ConnectedClient, NodeCertificate } from '@tagway/sdk';
import { deadlines } from '@tagway/sdk/internal';
import type { Node } from '../../core/model.ts';
import type { Supervisor } from './supervisor.ts';

/** Milliseconds. The runner ends the call before. */
const deadline = deadlines.peers + deadlines.abort;

export function clients(runner: Supervisor, { id }: Node): Promise<readonly ConnectedClient[]> {
  return runner.ask<'clients'>({ op: 'clients', node: id }, deadline);
}

export function certificates(runner: Supervisor, { id }: Node): Promise<readonly NodeCertificate[]> {
  return runner.ask<'certificates'>({ op: 'certificates', node: id }, deadline);
}

export async function moveCertificate(
  runner: Supervisor,
  { id: node }: Node,
  id: string,
  to: CertificatePlace,
): Promise<void> {
  await runner.ask<'moveCertificate'>({ op: 'moveCertificate', node, id, to }, deadline);
}
