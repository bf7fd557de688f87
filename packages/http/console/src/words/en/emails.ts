// Texts of the room "emails".
export const emails = {}
