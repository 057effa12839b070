/** Seconds of each attack. HOSTILE_SECONDS makes the suite long. */
export const seconds = Number(process.env['HOSTILE_SECONDS'] ?? 2);

/** How often a plugin makes the same mistake. */
export const rounds = Math.max(1, Math.round(seconds / 6));
