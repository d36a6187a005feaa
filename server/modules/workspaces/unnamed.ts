/** The name that a workspace has until somebody gives it one. No reader sees it. */
export const UNNAMED = 'Default'
