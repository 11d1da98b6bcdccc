export const issues = {
  2023: {
    bridges: { title: "Bridges of the valley", text: "Nine bridges cross the river between the mill and the sea." },
    orchards: { title: "Old orchards", text: "Forty kinds of apples grow behind the church." },
  },
  2024: {
    floods: { title: "The year of the floods", text: "The water stood in the market for three days." },
    railway: { title: "The railway returns", text: "After fifty years a train stops at the station again." },
    mills: { title: "Mills", text: "Two of the mills still turn, and one of them makes flour." },
  },
};
