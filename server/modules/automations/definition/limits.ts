import { DAY_MS, MINUTE_MS } from '../../../platform/durations.ts'

/** Limits of one definition. */
export const DEFINITION_CHARS_MAX = 262_144
export const NODES_MAX = 200
export const EDGES_MAX = 500
export const TRIGGERS_MAX = 20
export const EXITS_MAX = 20
export const WAYS_MAX = 20
export const NODE_ID_CHARS_MAX = 64
export const TAGS_OF_NODE_MAX = 20
export const FIELDS_OF_NODE_MAX = 20
/** Variables of a run, and their JSON. */
export const VARIABLES_MAX = 50
export const VARIABLES_BYTES_MAX = 4_096
export const VARIABLE_NAME_CHARS_MAX = 64
export const VARIABLE_CHARS_MAX = 1_000
export const NOTIFIED_MAX = 20
export const NOTICE_SUBJECT_CHARS_MAX = 200
export const NOTICE_MESSAGE_CHARS_MAX = 2_000
export const PROPERTY_CHARS_MAX = 200
export const EVENT_CHARS_MAX = 200
export const FILTERS_MAX = 10
export const MATCHES_MAX = 5
/** Parts of a split and people held out are counted in ten-thousandths. */
export const SHARES = 10_000
/** The longest wait, and the longest that anybody is in an automation. */
export const WAIT_MS_MAX = 400 * DAY_MS
/** A way back leads through a node that holds everybody at least so long. */
export const LOOP_MS_MIN = MINUTE_MS
/** Nodes that one run may come to. */
export const VISITS_MAX = 1_000

/** Limits of a workspace. */
export const AUTOMATIONS_MAX = 500
export const NAME_CHARS_MAX = 200

/** Mails of a draft are compiled before a request that changes it is answered. */
export const COMPILE_DEADLINE_MS = 10_000
