/** The row that what was filled in is sealed to. */
export function submissionRow(workspaceId: string, id: string): string {
  return `${workspaceId}/form_submissions/${id}/content`
}
