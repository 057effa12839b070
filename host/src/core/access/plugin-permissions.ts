import { ErrorCode } from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import type { Plugin } from '../model.ts';
import { pluginNamed } from '../nodes/plugins.ts';
import { keys, type PluginPermissionRecord } from '../records/records.ts';
import type { State } from '../records/state.ts';
import { type Asking, checkManager } from './users.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** What admins have allowed plugins. Every node of a plugin has what the plugin has, and so does each later version of it. */
export class PluginPermissions {
  readonly #state: State;
  /** By the id of the plugin. */
  #permissions: ReadonlyMap<string, PluginPermissionRecord> = new Map();

  constructor(state: State) {
    this.#state = state;
  }

  /** Takes what is stored, in the place of what was. */
  load(records: ReadonlyMap<string, PluginPermissionRecord>): void {
    this.#permissions = new Map(records);
  }

  /** Whether a plugin may have logins checked; undefined for one that does not ask for it. */
  logins({ id, asksLogins = false }: Plugin): boolean | undefined {
    return asksLogins ? this.#permissions.get(id)?.logins === true : undefined;
  }

  /** USER_NOT_PERMITTED for a plugin that may not have logins checked, nor act for users. */
  refusalOf(plugin: Plugin): Fault | undefined {
    const allowed = this.logins(plugin);
    if (allowed === true) return undefined;
    return new Refusal(
      ErrorCode.USER_NOT_PERMITTED,
      allowed === undefined
        ? sentence`The plugin "${plugin.name}" does not say in its manifest that it has logins checked.`
        : sentence`The plugin "${plugin.name}" may not have logins checked. An admin can allow it with PUT /api/v2/plugin/permission.`,
    );
  }

  /** Rejects with USER_NOT_PERMITTED, PLUGIN_NOT_FOUND, or PARAM_INVALID for a plugin that does not ask for it. */
  allowLogins(asking: Asking, name: string, logins: boolean): Promise<void> {
    checkManager(asking);
    return this.#state.change(async () => {
      const plugin = pluginNamed(this.#state, name, ErrorCode.PLUGIN_NOT_FOUND);
      if (plugin.asksLogins !== true)
        throw new Refusal(ErrorCode.PARAM_INVALID, sentence`The plugin "${name}" has no logins to check.`);
      const record: PluginPermissionRecord = { logins };
      await this.#state.commit({ set: [[keys.pluginPermission(plugin.id), record]] });
      this.#permissions = new Map([...this.#permissions, [plugin.id, record]]);
    });
  }
}
