import type { Row } from '../route-rows.ts'

export const rows: Row[] = [{ route: '/system', name: 'system', heading: 'System', offers: [0, 0, 0] }]
