import { lightClient } from '@tagway/mqtt-client/bundle';
import { defineConfig } from 'tsup';
import { plugin } from '../../.dev/tsup.ts';

export default defineConfig(plugin({ esbuildPlugins: [lightClient] }));
