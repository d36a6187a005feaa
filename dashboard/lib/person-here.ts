let personId = ''

/** Notes who is logged in. */
export function notePerson(id: string): void {
  personId = id
}

/** A name of something that this browser keeps of what somebody has typed: whoever logs in next has none of it. */
export const ofPersonHere = (name: string): string => `postroom-typed ${personId} ${name}`
