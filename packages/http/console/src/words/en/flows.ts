// Texts of the room "flows".
export const flows = {}
