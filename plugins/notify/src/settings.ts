import type { TlsFiles } from '@tagway/store';

/** How the connection to the mail server is secured. */
export const Security = { STARTTLS: 0, TLS: 1, NONE: 2 } as const;

/** What is posted to the webhook. */
export const HookFormat = { JSON: 0, CHAT: 1, TEXT: 2 } as const;

/** A node's settings, with the schema's defaults filled in. */
export interface Settings extends TlsFiles {
  readonly rules: string;
  readonly signals: string;
  readonly smtp_host?: string;
  readonly smtp_port: number;
  readonly smtp_security: (typeof Security)[keyof typeof Security];
  readonly username?: string;
  readonly password?: string;
  readonly from?: string;
  readonly webhook?: string;
  readonly webhook_format: (typeof HookFormat)[keyof typeof HookFormat];
  readonly webhook_token?: string;
  readonly page?: string;
  readonly time_zone: string;
  readonly language: 0 | 1;
  readonly gather: number;
  readonly most_per_hour: number;
  /** Milliseconds. */
  readonly timeout: number;
  readonly subject: string;
  readonly body: string;
}
