import type { FormsOfPeople } from '../../server/modules/forms/forms-of-people.ts'

/** Of a world in which nobody fills in forms. */
export const NO_FORMS: FormsOfPeople = {
  list: async () => [],
  soFar: async () => ({ throughId: '0', until: '1970-01-01T00:00:00Z' }),
  forget: async () => undefined,
}
