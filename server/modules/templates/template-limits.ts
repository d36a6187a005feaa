/** Limits of an author's text. */
export const SUBJECT_CHARS_MAX = 1_000
export const BODY_CHARS_MAX = 200_000
export const TEXT_CHARS_MAX = 200_000
/** Of MJML: a rich newsletter has some three hundred. */
export const MJML_ELEMENTS_MAX = 2_000
export const LIQUID_PARTS_MAX = 3_000
export const LIQUID_PART_CHARS_MAX = 2_000
/** How deep Liquid blocks, and elements of MJML or HTML, may stand in each other. */
export const LIQUID_DEPTH_MAX = 20
export const ELEMENT_DEPTH_MAX = 100
/** Links whose clicks are counted. */
export const LINKS_MAX = 1_000
/** Maximum length of compiled HTML, its Liquid still in it. */
export const COMPILED_CHARS_MAX = 1_000_000

/** Sources that are checked where they are asked about; longer ones, and those with a layout to make, in a thread. */
export const PLANNED_HERE_CHARS_MAX = 20_000
/** Tags and outputs that are parsed, and rendered, where mail is sent: some 20 ms for the worst. */
export const PARSED_HERE_CHARS_MAX = 40_000

/**
 * Limits of rendering one message, all its fields together. Counted, not timed: the work a template may do does not depend on how
 * busy the machine is, and no person's mail fails because another process was in the way. A newsletter of 30 KB takes
 * some hundred steps; the whole of these limits is used up within some 100 ms.
 */
export const RENDER_STEPS_MAX = 100_000
export const RENDER_CHARS_MAX = 3_000_000
export const OUTPUT_CHARS_MAX = 1_000_000
export const SUBJECT_OUTPUT_CHARS_MAX = 1_000

/** As much of those as is rendered where mail is sent; a message that takes more is rendered anew in a thread. */
export const RENDERED_HERE_STEPS_MAX = 8_000
export const RENDERED_HERE_CHARS_MAX = 400_000
/** A link costs as much as some nodes do: its address is made, and signed. */
export const LINK_STEPS = 20

/** Of a request that has a template compiled. */
export const COMPILE_DEADLINE_MS = 10_000
