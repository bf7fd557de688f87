// Texts of the room "delivery".
export const delivery = {}
