import { WellKnownRoles, type Namespace } from 'node-opcua-address-space';
import { makePermissionFlag } from 'node-opcua-data-model';
import type { Settings } from '../settings.ts';

type RolePermissions = NonNullable<Parameters<Namespace['setDefaultRolePermissions']>[0]>;

/** Lets all users read the tags of a namespace, operators write them, and clients without a user read them where the settings say so. */
export function grantRoles(namespace: Namespace, { anonymous }: Settings): void {
  const read = makePermissionFlag('Browse | Read | ReadHistory | ReceiveEvents');
  const write = makePermissionFlag('Browse | Read | ReadHistory | ReceiveEvents | Write');
  const granted = [
    ...(anonymous ? [{ roleId: WellKnownRoles.Anonymous, permissions: read }] : []),
    { roleId: WellKnownRoles.Observer, permissions: read },
    { roleId: WellKnownRoles.Operator, permissions: write },
  ];
  namespace.setDefaultRolePermissions(granted satisfies RolePermissions);
}
