import { appConformance } from '@tagway/pluginkit';
import { MailServer } from '@tagway/testkit/mail-server';

appConformance(new URL('../', import.meta.url), {
  server: {
    peer: () => MailServer.start(),
    settings: (port) => ({
      rules: 'duty = duty@example.com',
      signals: 'tag("plant/fast/trip") high: The plant has tripped',
      smtp_host: '127.0.0.1',
      smtp_port: port,
      smtp_security: 2,
      from: 'gateway@example.com',
      gather: 0,
      most_per_hour: 10_000,
      timeout: 1000,
    }),
  },
  inputs: {
    values: { 'plant/fast/trip': false },
    others: { 'plant/fast/trip': true },
    alone: true,
  },
  params: { rules: 'duty' },
  refusedParams: { rules: 1 },
  refusedSettings: { rules: 'nobody' },
});
