import type { FormsOfPeople } from '../../server/modules/forms/forms-of-people.ts'

/** Of a world in which nobody fills in forms. */
export const NO_FORMS: FormsOfPeople = { list: async () => [], forget: async () => undefined }
