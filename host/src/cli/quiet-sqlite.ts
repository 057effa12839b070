/**
 * Node 22 warns whenever its SQLite is loaded, that it is experimental. Operators can do nothing with that; all other warnings are printed
 * as ever.
 */
export function quietSqlite(): void {
  const listeners = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning' && warning.message.startsWith('SQLite is')) return;
    for (const listener of listeners) listener(warning);
  });
}
