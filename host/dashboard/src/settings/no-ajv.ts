/**
 * Replaces the validator that @rjsf/core imports for its own tests. That validator compiles schemas to code, which the page's
 * Content-Security-Policy forbids, and would only make the bundle larger.
 */
export default undefined;
