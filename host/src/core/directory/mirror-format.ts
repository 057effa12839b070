/** The file that lists what is in the folder of a mirror. */
export const mirrorIndexFile = 'tagway-mirror.json';

/** What the index says of its form; docs/plugins/publish.md describes it. */
export const mirrorFormat = 'tagway-mirror 1';
