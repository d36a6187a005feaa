/** Operations that change nothing, by their families. Files, secrets and raw mail are not here. */
const READS: Readonly<Record<string, readonly string[]>> = {
  Automations: [
    ...['list', 'get', 'listRevisions', 'getRevision', 'listVersions', 'getVersion', 'previewPublish', 'runScenarios'],
    ...['counts', 'runs', 'run', 'explain', 'results', 'lift', 'listSimulations', 'getSimulation'],
  ],
  Assets: ['list', 'get'],
  Broadcasts: [
    ...['list', 'get', 'preflight', 'report', 'series', 'recipients', 'heatMap', 'explainRecipient', 'explain'],
  ],
  Contacts: ['list', 'get', 'listConsents', 'listEvents', 'listMerges', 'listVisitors'],
  ContactTags: ['list'],
  ContactTopics: ['list'],
  CustomFields: ['list', 'get', 'getRetype'],
  Events: ['list', 'listActions'],
  IdentityConflicts: ['list'],
  Messages: ['list', 'explain'],
  Overview: ['get'],
  SavedBlocks: ['list', 'get'],
  Segments: ['list', 'get', 'preview', 'previewStored', 'explainContact'],
  SendingDomains: ['list', 'get', 'listRates', 'listChecks'],
  Suppressions: ['list', 'get'],
  Tags: ['list', 'get', 'count'],
  Templates: ['list', 'get', 'listSamples', 'listVersions', 'getVersion'],
  Topics: ['list', 'get'],
  Unsubscribes: ['list'],
}

/**
 * Operations that make one thing, or change one that nobody's mail rests on before a person has looked at it: a draft, one contact.
 * An address is unsubscribed by them, as a brake, and never the other way round. Nothing here deletes, takes many
 * at once, merges, or changes what people have said, what they have approved or what programs send by.
 */
const CHANGES: Readonly<Record<string, readonly string[]>> = {
  Automations: ['create', 'update', 'restoreRevision', 'simulate', 'cancelSimulation'],
  Broadcasts: ['create', 'update', 'setAudience'],
  Contacts: ['create', 'upsert', 'update'],
  CustomFields: ['create'],
  SavedBlocks: ['create'],
  Segments: ['create'],
  Tags: ['create'],
  Topics: ['create'],
  Unsubscribes: ['create'],
}

/** Everything that an agent may call as it is, with the scopes for it: a new operation is not among them until it is written here. */
export const AGENT_OPERATIONS: ReadonlySet<string> = new Set([...namesOf(READS), ...namesOf(CHANGES)])

function namesOf(families: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(families).flatMap(([family, verbs]) => verbs.map((verb) => `${family}_${verb}`))
}
