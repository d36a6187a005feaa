/** The id in a sending source `topic:<id>`; undefined for another one. */
export function topicIdOf(sendingSource: string): string | undefined {
  return /^topic:(\d{1,19})$/.exec(sendingSource)?.[1]
}

/** The automation that a sending source is about; undefined for any other source. */
export function automationIdOf(sendingSource: string): string | undefined {
  return /^automation:(\d{1,19})$/.exec(sendingSource)?.[1]
}
