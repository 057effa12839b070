import { app, isFault } from '@tagway/sdk';
import { checkSettings, rulesOfParams } from './checks.ts';
import { Hook } from './hook.ts';
import { Mail } from './mail.ts';
import { NotifyApp } from './notify.ts';
import type { Settings } from './settings.ts';

/** Sends alarms, and tags that become true, to people. */
export default app<Settings, { readonly rules?: unknown }>({
  create: (context) => new NotifyApp(context),
  checkSettings,
  checkSubscription({ params }) {
    const rules = rulesOfParams(params);
    return isFault(rules) ? rules : undefined;
  },
  async tryConnection(test) {
    const { settings } = test;
    if (settings.smtp_host) await new Mail(settings).test(test);
    if (!settings.webhook) return;
    const hook = new Hook(settings);
    try {
      await hook.test(test);
    } finally {
      hook.close();
    }
  },
});
