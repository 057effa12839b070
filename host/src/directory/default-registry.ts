import defaults from 'npm-registry-fetch/lib/default-opts.js';
import type { Registry } from '@tagway/schemas';

/** The registry that npm itself asks where none is set. */
export const defaultRegistry: Registry = { url: defaults.registry };
