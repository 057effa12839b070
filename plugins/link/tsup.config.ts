import { defineConfig } from 'tsup';
import { plugin } from '../../.dev/tsup.ts';

export default defineConfig(plugin());
