/**
 * Stands for the validator that @rjsf/core names for its own tests. That one makes code of schemas, which the page's
 * Content-Security-Policy forbids, and has no place in the bundle.
 */
export default undefined;
