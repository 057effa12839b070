import { hostname } from 'node:os';
import { resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import type { SystemFacts } from '../core/ports/machine.ts';

/** Which gateway this is. */
export interface ResourceIdentity {
  readonly name: string;
  readonly version: string;
  readonly revision: string;
}

/** Names of processors by the conventions, where Node has others. */
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm: 'arm32', ia32: 'x86' };

/** What all signals of this gateway have in common. `own` are attributes that the operator adds or replaces. */
export function resourceOf(
  { name, version, revision }: ResourceIdentity,
  os: SystemFacts['os'],
  own: Readonly<Record<string, string>>,
): Resource {
  return resourceFromAttributes({
    'service.name': 'tagway',
    'service.instance.id': name,
    'service.version': version,
    'tagway.revision': revision,
    'host.name': hostname(),
    'host.arch': architectures[os.machine] ?? os.machine,
    'os.type': process.platform,
    'os.description': os.version,
    'os.version': os.kernel,
    'process.pid': process.pid,
    'process.runtime.name': 'nodejs',
    'process.runtime.version': process.versions.node,
    ...own,
  });
}
