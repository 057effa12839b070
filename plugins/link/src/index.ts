import { app } from '@tagway/sdk';
import { LinkApp } from './link-app.ts';
import { checkSettings } from './rows.ts';
import type { Settings } from './settings.ts';

export default app<Settings>({ create: (context) => new LinkApp(context), checkSettings });
