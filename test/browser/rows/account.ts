import type { Row } from '../route-rows.ts'

export const rows: Row[] = [{ route: '/account', name: 'account', heading: 'Account', offers: [3, 3, 3] }]
